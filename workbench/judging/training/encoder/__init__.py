"""Train the encoder of the embedded judge; torch is needed here, and only here."""
