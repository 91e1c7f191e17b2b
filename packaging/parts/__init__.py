"""The parts of packaging/build, one file each."""
