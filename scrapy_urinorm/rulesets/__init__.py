"""Rule files: read, checked as a whole, merged by scope, frozen; the presets as data."""
