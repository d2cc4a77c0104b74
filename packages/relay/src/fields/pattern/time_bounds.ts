import type { Node } from './syntax.ts';

/** At most `times * (n + 1) ** degree`, for a value of n characters. */
interface Bound {
  readonly times: number;
  readonly degree: number;
}

export interface Bounds {
  /** In how many ways a part can be gone through, from one position in the value. */
  readonly ways: Bound;
  /** How many steps it takes to try them all. */
  readonly steps: Bound;
}

const one: Bound = { times: 1, degree: 0 };
const endless: Bound = { times: Infinity, degree: 0 };

const product = (a: Bound, b: Bound): Bound => ({ times: a.times * b.times, degree: a.degree + b.degree });
const sum = (a: Bound, b: Bound): Bound => ({
  times: a.times + b.times,
  degree: Math.max(a.degree, b.degree),
});

export function boundsOf(node: Node): Bounds {
  switch (node.kind) {
    case 'character':
    case 'start':
    case 'end':
    case 'boundary':
      return { ways: one, steps: one };
    // It may be as long as the value.
    case 'reference':
      return { ways: one, steps: { times: 1, degree: 1 } };
    case 'unknown':
      return { ways: endless, steps: endless };
    // Once it holds, no other way through it is tried.
    case 'look':
      return { ways: one, steps: sum(one, boundsOf(node.part).steps) };
    case 'sequence':
      return node.parts.map(boundsOf).reduce(
        (before, part) => ({
          ways: product(before.ways, part.ways),
          steps: sum(before.steps, product(before.ways, part.steps)),
        }),
        { ways: one, steps: one },
      );
    case 'choice':
      return node.parts
        .map(boundsOf)
        .reduce((a, b) => ({ ways: sum(a.ways, b.ways), steps: sum(a.steps, b.steps) }));
    case 'repeat':
      return repeated(boundsOf(node.part), node.least, node.most);
  }
}

function repeated({ ways, steps }: Bounds, least: number, most: number): Bounds {
  if (most < Infinity) {
    const power = { times: ways.times ** most, degree: ways.degree * most };
    return {
      ways: product(power, { times: most - least + 1, degree: 0 }),
      steps: sum(one, product(product(power, steps), { times: most, degree: 0 })),
    };
  }
  // Choices inside endless repetition: the exponential kind, most likely.
  if (ways.times > 1 || ways.degree > 0) return { ways: endless, steps: endless };
  // It may end after each character, and then in one way.
  const endings = { times: 1, degree: 1 };
  return {
    ways: endings,
    steps: product(endings, sum(one, product(steps, { times: least + 1, degree: 0 }))),
  };
}
