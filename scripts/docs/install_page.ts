import manifest from '../../package.json' with { type: 'json' };

/** What package.json says about where the project is (D171). */
interface Location {
  readonly name: string;
  readonly version: string;
  /** npm does not have the package. */
  readonly private?: boolean;
  readonly repository?: { readonly url: string };
}

/** How to get Form Relay: from a checkout, and from npm once the package is there. */
export function installPage(location: Location = manifest): string {
  const { name, version, repository } = location;
  const tarball = `/path/to/${name}-${version}.tgz`;
  const clone = repository && shell(`git clone ${repository.url.replace(/^git\+/, '')}`, `cd ${name}`);
  const pack = `npm does not have the package yet. Pack it in a checkout:

${shell('npm pack')}
This installs and builds what is missing, and writes \`${name}-${version}.tgz\`. Then install that file in the folder that needs it, such as
the folder of your site or of your \`webform.yaml\`:`;
  return `<!-- Written by \`npm run generate\` from package.json, which says where the project is. Change that, not this file. -->

# Install

You need [Node](https://nodejs.org) 20.19 or later. [Bun and Deno](runtimes.md) run the package, too. On servers, see
[containers](deploy/container.md) and [systemd](deploy/systemd.md).

## A checkout

${clone ? `${clone}\n` : ''}${shell('npm start')}
\`npm start\` installs and builds what is missing, serves the playground with an example, and prints the address to open. After that, \`node dist/relay.cjs\` is the
[command line](command-line.md).

## The package

${location.private ? pack : 'In the folder that needs it, such as the folder of your site or of your `webform.yaml`:'}

${shell(`npm install ${location.private ? tarball : name}`, 'npx relay --version')}
From then on, \`npx relay\` is the [command line](command-line.md) in this folder, and your code can import \`${name}\`,
\`${name}/element\` and \`${name}/client\`. Use \`npx relay\` in this folder only: elsewhere, npx looks for a
package called \`relay\`, which is not this one.

## Without installing

${shell(location.private ? `npx --package ${tarball} relay init` : `npx ${name} init`)}
This runs one command in any folder, even in an empty one. The commands that it prints begin in the same way.
`;
}

const shell = (...lines: readonly string[]) => `\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`;
