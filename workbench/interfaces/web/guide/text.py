"""Texts of the guide page."""
