import { memoryOf } from '../../packages/spam/src/score/index.ts';

export const createMemory = ({ now }: { readonly now: () => number }) => memoryOf(now);
