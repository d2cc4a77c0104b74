/** URLs derived from the field `repository` of package.json, the only place with the project's address. */
import manifest from '../../package.json' with { type: 'json' };

const { repository } = manifest as { readonly repository?: string | { readonly url: string } };
const named = typeof repository === 'object' ? repository.url : repository;

/** For example `https://github.com/OWNER/form-relay`; `undefined` if the field is missing. */
export const repositoryUrl: string | undefined = named
  ?.replace(/^github:/, 'https://github.com/')
  .replace(/^git\+/, '')
  .replace(/\.git$/, '');

/** The URL of the latest release's artifacts. */
export const downloads: string | undefined = repositoryUrl && `${repositoryUrl}/releases/latest/download`;
