/** SPEC: Command-line tool. `--config FILE`, else RELAY_CONFIG, else `webform.yaml`. */
export const configPath = (option: string | undefined): string =>
  option ?? (process.env.RELAY_CONFIG || 'webform.yaml');

/** The file that `relay serve` would read, unless the environment has a source that is no file. */
export const servedFile = (option: string | undefined): string =>
  option ?? (process.env.CONFIG_FILE || configPath(undefined));
