/** SPEC: Command-line tool. `--config FILE`, else RELAY_CONFIG, else `webform.yaml`. */
export const configPath = (option: string | undefined): string =>
  option ?? (process.env.RELAY_CONFIG || 'webform.yaml');
