# Runs on many machines: sets CAROM_HAS_MPI.
