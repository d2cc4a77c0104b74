/** Days that exist, written `2030-12-31`. */
import type { Message } from '../messages/message.ts';

export function isRealDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Why a text is no day: its month is too short for it, or else `code`. */
export const noDay = (text: string, code: 'not_a_date' | 'not_a_datetime'): Message =>
  /^\d{4}-(02-(29|30|31)|(04|06|09|11)-31)$/.test(text) && !isRealDay(text)
    ? { code: 'no_such_day', params: { day: text } }
    : { code };
