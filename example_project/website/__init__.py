"""A small shop and a small forum on loopback, with the URL habits of real ones and a known number of pages."""

from __future__ import annotations

from .server import PortInUseError, Served, Website

__all__ = ["PortInUseError", "Served", "Website"]
