/** The provenance of artifacts: an in-toto statement with an SLSA v1 predicate. Unsigned, unlike GitHub's attestations. */
import { execFileSync } from 'node:child_process';
import manifest from '../../package.json' with { type: 'json' };
import { repositoryUrl } from './address.ts';

interface ProvenanceOptions {
  readonly subjects: readonly { readonly name: string; readonly sha256: string }[];
  readonly kinds: readonly string[];
  readonly node: string;
}

const git = (...words: readonly string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();

export const revision = (): string => git('rev-parse', 'HEAD');
/** The timestamp of all artifacts, in seconds since 1970: SOURCE_DATE_EPOCH, else the commit's time. */
export const epoch = (): number =>
  Number(process.env.SOURCE_DATE_EPOCH || git('show', '--no-patch', '--format=%ct', 'HEAD'));

export function provenanceOf({ subjects, kinds, node }: ProvenanceOptions): object {
  const { GITHUB_ACTIONS, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_WORKFLOW_REF, GITHUB_RUN_ID } =
    process.env;
  const onGitHub = GITHUB_ACTIONS === 'true';
  const changed = git('status', '--porcelain', '--untracked-files=no')
    .split('\n')
    .filter((line) => line !== '').length;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:form-relay:artifacts:v1',
        externalParameters: { command: 'npm run artifacts', version: manifest.version, kinds },
        internalParameters: { platform: `${process.platform}-${process.arch}`, changedFiles: changed },
        resolvedDependencies: [
          {
            name: 'source',
            ...(repositoryUrl === undefined ? {} : { uri: `git+${repositoryUrl}` }),
            digest: { gitCommit: revision() },
          },
          { name: 'node', uri: `pkg:generic/node@${node}` },
        ],
      },
      runDetails: {
        builder: {
          id: onGitHub
            ? `${GITHUB_SERVER_URL}/${GITHUB_WORKFLOW_REF}`
            : // Makes no claim about the machine.
              'urn:form-relay:builder:local-unsigned',
        },
        // No timestamps, so that two builds of a commit are identical.
        ...(onGitHub && {
          metadata: {
            invocationId: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`,
          },
        }),
      },
    },
  };
}
