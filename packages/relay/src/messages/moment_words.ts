import type { Spelled } from './message.ts';

const format = {
  calendar: 'gregory',
  ...({ day: 'numeric', month: 'long', year: 'numeric' } as const),
  ...({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const),
};

/** A day and time with its time zone. English of no country has the day before the month, and 24 hours. */
export const momentWords = (at: number, timeZone = 'UTC'): Spelled => ({
  spell: ([language = 'en', ...others]) =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], {
      ...format,
      timeZone,
    }).format(at),
});
