"""The Queues page: create a queue, work through it."""
