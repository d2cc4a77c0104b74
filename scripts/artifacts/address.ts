/** Addresses that follow from the field `repository` of package.json, the one place that says where the project is. */
import manifest from '../../package.json' with { type: 'json' };

const { repository } = manifest as { readonly repository?: string | { readonly url: string } };
const named = typeof repository === 'object' ? repository.url : repository;

/** For example `https://github.com/OWNER/form-relay`; `undefined` until there is one. */
export const repositoryUrl: string | undefined = named
  ?.replace(/^github:/, 'https://github.com/')
  .replace(/^git\+/, '')
  .replace(/\.git$/, '');

/** The folder of the latest release's artifacts. */
export const downloads: string | undefined = repositoryUrl && `${repositoryUrl}/releases/latest/download`;
