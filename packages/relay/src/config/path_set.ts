import type { Path } from '../base/place.ts';

/** Paths, compared step by step: as texts they would be as long as all the names in them, which may be long. */
export class PathSet {
  readonly #root: Node = { steps: new Map(), isIn: false };

  constructor(paths: Iterable<Path>) {
    for (const path of paths) {
      let node = this.#root;
      for (const step of path) {
        const next = node.steps.get(step) ?? { steps: new Map(), isIn: false };
        node.steps.set(step, next);
        node = next;
      }
      node.isIn = true;
    }
  }

  has(path: Path): boolean {
    let node: Node | undefined = this.#root;
    for (const step of path) node = node?.steps.get(step);
    return node?.isIn ?? false;
  }
}

interface Node {
  readonly steps: Map<string | number, Node>;
  isIn: boolean;
}
