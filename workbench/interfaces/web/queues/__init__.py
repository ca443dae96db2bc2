"""The Queues page: make a queue, work through it."""
