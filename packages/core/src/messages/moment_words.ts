const options: Intl.DateTimeFormatOptions = {
  calendar: 'gregory',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  // In every language, as examples in messages do: Korean would have `AM 09:00`.
  hourCycle: 'h23',
  timeZoneName: 'short',
};

/** A day and time with its time zone, which may be another than the reader's, as each language writes it. */
export const momentWords = (at: number, timeZone = 'UTC') => ({
  // English of no country has the day before the month.
  spell: ([language = 'en', ...others]: readonly string[]): string =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], {
      ...options,
      timeZone,
    }).format(at),
});
