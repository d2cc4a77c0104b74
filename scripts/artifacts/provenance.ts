/** Where artifacts come from, as an in-toto statement with a predicate of SLSA v1. Unsigned: GitHub's attestations are. */
import { execFileSync } from 'node:child_process';
import manifest from '../../package.json' with { type: 'json' };
import { repositoryUrl } from './address.ts';

interface ProvenanceOptions {
  readonly subjects: readonly { readonly name: string; readonly sha256: string }[];
  readonly kinds: readonly string[];
  readonly node: string;
  readonly started: Date;
}

const git = (...words: readonly string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();

export const revision = (): string => git('rev-parse', 'HEAD');
/** When it was committed, in seconds since 1970. */
export const committed = (): number => Number(git('show', '--no-patch', '--format=%ct', 'HEAD'));

export function provenanceOf({ subjects, kinds, node, started }: ProvenanceOptions): object {
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
            : // The machine itself is not vouched for.
              'urn:form-relay:builder:local-unsigned',
        },
        metadata: {
          ...(onGitHub && {
            invocationId: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`,
          }),
          startedOn: started.toISOString(),
          finishedOn: new Date().toISOString(),
        },
      },
    },
  };
}
