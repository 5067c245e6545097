"""What programs switch on and off: modes, threads, devices, warnings."""
