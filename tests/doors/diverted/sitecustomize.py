"""Diverts the process that finds this folder on its path, before anything else is imported."""

import os

import divert

if divert.PORT in os.environ:
    divert.divert(int(os.environ[divert.PORT]), os.environ[divert.LOG])
