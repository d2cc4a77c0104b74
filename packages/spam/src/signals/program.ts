import { type SignalResult, signal } from './signal.ts';

export const program = signal({
  name: 'program',
  summary: 'A request that no browser sends: it names a program, or lacks what every browser has.',
  weight: 2,
  score:
    () =>
    ({ headers }): SignalResult => {
      if (!headers) return undefined;
      const agent = headers['user-agent'] ?? '';
      // Something in front of the relay takes away what browsers say of themselves.
      if (/^amazon cloudfront$/i.test(agent)) return undefined;
      if (agent === '') return { score: 1, why: 'no user agent' };
      if (named.test(agent)) return { score: 1, why: 'the user agent of a program' };
      if (headers['accept-language'] === undefined) return { score: 0.75, why: 'no accept-language' };
      // Only browsers based on Chromium send this.
      if (headers['sec-ch-ua'] !== undefined && agent.includes('Firefox/'))
        return { score: 1, why: 'a user agent that is not its own' };
      return undefined;
    },
});

/** Libraries and tools under their own names, and browsers that say that nobody looks at them. */
const named =
  /^(?:curl|wget|python|go-http-client|java|okhttp|axios|node|undici|got|libwww|lwp|ruby|php|guzzle|postman|insomnia|apache-httpclient|scrapy|httpx?|aiohttp|http_request|winhttp|powershell)\b|headlesschrome|phantomjs|python-requests/i;
