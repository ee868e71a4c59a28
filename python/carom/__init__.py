"""Python side of Carom: reads result files (docs/result_file.md) and draws them."""
