import type { StoreType } from '../store.ts';

const address = /^dynamodb:\/\/([\w.-]{3,255})$/;

/** A table in Amazon DynamoDB. */
export const dynamodb: StoreType = {
  schemes: ['dynamodb'],
  example: 'dynamodb://table',
  holds: ['counts'],
  problem: (found) =>
    address.test(found)
      ? undefined
      : `found ${JSON.stringify(found)}; expected dynamodb:// and the name of a table, such as dynamodb://places`,
  open: async (found, { aws }) => {
    const { openTable } = await import('./counts.ts');
    return openTable(address.exec(found)?.[1] ?? '', aws);
  },
};
