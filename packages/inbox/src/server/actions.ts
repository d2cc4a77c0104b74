import type { ActionAsked, ActionDone } from '../api.ts';
import type { Person } from '../person.ts';

/** Actions on a submission. The server has checked the person's rights. Expected failures are answers in words. */
export interface Actions {
  run(id: string, asked: ActionAsked, person: Person): Promise<ActionDone>;
  remove(id: string, person: Person): Promise<ActionDone>;
}
