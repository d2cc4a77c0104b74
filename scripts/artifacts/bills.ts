/** Bills of materials in CycloneDX: of the package, written by npm, and of artifacts that contain more. */
import { librariesOf, output, ownersOf } from './root.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
}

interface Bill {
  readonly serialNumber?: string;
  readonly metadata: { readonly component: object; readonly timestamp?: string };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string }[];
}

export type Kind = 'package' | 'executable' | 'image';

interface BillOptions {
  readonly kind: Kind;
  /** The package's bill, as printed by `npm run sbom`. */
  readonly ofPackage: Bill;
  readonly file: string;
  readonly sha256: string;
  /** When the sources were committed, in seconds since 1970. */
  readonly epoch: number;
  /** `process.versions` of the Node that it contains. */
  readonly node: Readonly<Record<string, string>>;
  /** The executable, whose libraries are part of an image. */
  readonly executable?: string | undefined;
}

export function billOf({ kind, ofPackage, file, sha256, epoch, node, executable }: BillOptions): Bill {
  const more = [
    ...(kind === 'package' ? [] : partsOfNode(node)),
    ...(kind === 'image' && executable !== undefined ? debianPackages(librariesOf(executable)) : []),
  ];
  // Node 24 includes SQLite.
  const isIn = ({ name }: Component) => kind === 'package' || name !== 'node-sqlite3-wasm';
  const components = [...ofPackage.components.filter(isIn), ...more];
  const gone = new Set(
    ofPackage.components.filter((one) => !isIn(one)).map(({ name, version }) => `${name}@${version}`),
  );
  return {
    ...ofPackage,
    // The serial number is unique to an artifact, and reproducible.
    serialNumber: `urn:uuid:${sha256.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')}`,
    metadata: {
      ...ofPackage.metadata,
      timestamp: new Date(epoch * 1_000).toISOString(),
      component: {
        ...ofPackage.metadata.component,
        type: { package: 'library', executable: 'application', image: 'container' }[kind],
        hashes: [{ alg: 'SHA-256', content: sha256 }],
        properties: [{ name: 'file', value: file }],
      },
    },
    components,
    dependencies: ofPackage.dependencies.flatMap((one) => {
      if (gone.has(one.ref)) return [];
      const { dependsOn = [] } = one as { readonly dependsOn?: readonly string[] };
      return [{ ...one, dependsOn: dependsOn.filter((ref) => !gone.has(ref)) }];
    }),
  };
}

/** Node, and the libraries compiled into it. */
const partsOfNode = ({ node = '', modules: _, napi: __, ...parts }: Readonly<Record<string, string>>) => [
  {
    'bom-ref': `node@${node}`,
    type: 'platform',
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
  },
  ...Object.entries(parts).map(([name, version]) => ({
    'bom-ref': `node:${name}@${version}`,
    type: 'library',
    name,
    version,
    properties: [{ name: 'part of', value: `node@${node}` }],
  })),
];

/** Debian packages that own the libraries; on other systems, the libraries themselves. */
function debianPackages(paths: readonly string[]) {
  return ownersOf(paths).map((owner) => {
    const said = output('dpkg-query', '--show', '-f', '$' + '{Package} $' + '{Version}', owner);
    const [name, version] = said?.split(' ') ?? [owner, 'unknown'];
    return {
      'bom-ref': `deb:${name}@${version}`,
      type: 'library',
      name,
      version,
      ...(owner.startsWith('/')
        ? {}
        : { purl: `pkg:deb/debian/${name}@${encodeURIComponent(version ?? '')}` }),
    } as Component;
  });
}
