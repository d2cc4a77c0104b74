import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** Where the manual stands as a site (D144). Ends with `/`. */
export const homepage: string = manifest.homepage;
