import type { CounterPlace } from './place.ts';

/** The remedy for a damaged count, by kind of store. */
export const damagedRemedy: Readonly<Record<CounterPlace['kind'], string>> = {
  folder:
    'Stop the relay, and remove the folder of this file. Write the number of places with relay places --set; registrations and used links in it can then come again.',
  nats: 'Stop the relay, and purge the subject of this count. Write the number of places with relay places --set; registrations and used links in it can then come again.',
  dynamodb:
    'Remove the item with this `id`. Write the number of places with relay places --set; registrations and used links in it can then come again.',
  'durable-object':
    'Bind another name to a new class of Durable Objects, and name that in counted_in; registrations and used links can then come again.',
};
