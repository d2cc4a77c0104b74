/** For how long a changed config stops the event loop while it is loaded: `npx tsx bench/refresh.ts`. */
import { createRelay } from '../src/relay.ts';

const form = (id: number, marker: number) => `
  form_${id}:
    title: Form ${id}, version ${marker}
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true, label: E-mail}
      - {name: company}
      - {name: message, type: textarea, required: true, help: As long as you like.}
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "https://crm.example.com/${id}", mapping: "*", static: {form: "{{ .form.id }}"}}
      - {type: smtp, host: smtp.example.com, to: office@example.com, reply_to: "{{ .fields.email }}", mapping: "*"}
`;

const rows: Record<string, object> = {};
for (const forms of [10, 100, 1_000, 10_000]) {
  let marker = 0;
  const relay = createRelay({
    configFile: 'webform.yaml',
    env: { CACHE_TTL: '1ms' },
    effects: {
      log: (level, event, fields) => level !== 'info' && console.error(event, fields),
      sleep: async () => {},
      readFile: async () => `forms:\n${Array.from({ length: forms }, (_, id) => form(id, marker)).join('')}`,
    },
  });
  const stops: number[] = [];
  for (marker = 0; marker < 7; marker += 1) {
    let longestMs = 0;
    let at = performance.now();
    const watch = setInterval(() => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - at);
      at = now;
    }, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await relay.config.get();
    await new Promise((resolve) => setTimeout(resolve, 20));
    clearInterval(watch);
    stops.push(longestMs);
  }
  const later = stops.slice(2).toSorted((a, b) => a - b);
  rows[`${forms} forms`] = {
    'first, ms': Math.round(stops[0] ?? 0),
    'later (median), ms': Math.round(later[Math.floor(later.length / 2)] ?? 0),
  };
}
console.log(`Node ${process.version}: the longest stop of the event loop while a changed config is loaded`);
console.table(rows);
