"""The workspace: `dateline.toml`, the environment, secrets and product files, as frozen values.

Everything is validated before anything is opened; a mistake becomes one `ConfigurationError` that names the file,
the key and what to write instead.
"""
