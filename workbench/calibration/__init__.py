"""How far can the judge be trusted? Labels and judgments in, statistics out; pure."""
