"""Queues and who reviews what in them."""
