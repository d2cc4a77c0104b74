/** deploy/grafana/form-relay.json: what of the metrics is looked at together, as Grafana imports it. */
import type { MetricName } from '../../packages/relay/src/telling/metrics/families.ts';

interface Panel {
  readonly title: string;
  /** PromQL, each with the legend of its lines. `$form` and `$instance` are chosen at the top. */
  readonly queries: readonly (readonly [expr: string, legend: string])[];
  readonly unit: Unit;
  /** What a look at it should know. */
  readonly says?: string;
  readonly kind?: 'stat' | 'stacked';
}

/** As Grafana calls them. */
type Unit = 'short' | 'reqps' | 's' | 'percentunit' | 'bytes' | 'string';

const of = (name: MetricName, labels = '') => `${name}{instance=~"$instance"${labels && `, ${labels}`}}`;
const ofForm = (name: MetricName, labels = '') => of(name, `form=~"$form"${labels && `, ${labels}`}`);
const rate = (series: string, by: string) => `sum by (${by}) (rate(${series}[$__rate_interval]))`;
/** How many within what is shown. */
const inRange = (series: string, by = '') => `sum${by && ` by (${by})`} (increase(${series}[$__range]))`;
/** A part of a histogram is its buckets. */
const quantile = (share: number, name: MetricName, by: string, labels = '') => {
  const buckets = of(name, labels).replace(name, `${name}_bucket`);
  return `histogram_quantile(${share}, sum by (${by ? `${by}, ` : ''}le) (rate(${buckets}[$__rate_interval])))`;
};
const form = 'form=~"$form"';

/** A row's panels stand beside each other. */
const rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: 'At a glance',
    panels: [
      {
        title: 'Relays that answer',
        queries: [[`count(${of('form_relay_build_info')})`, '']],
        unit: 'short',
        kind: 'stat',
      },
      {
        title: 'Delivered',
        queries: [[inRange(ofForm('form_relay_submissions_total', 'outcome=~"delivered|kept"')), '']],
        unit: 'short',
        kind: 'stat',
        says: 'Submissions whose visitors read that they were sent.',
      },
      {
        title: 'Not delivered',
        queries: [[inRange(ofForm('form_relay_submissions_total', 'outcome="undelivered"')), '']],
        unit: 'short',
        kind: 'stat',
        says: 'Their visitors read that sending failed.',
      },
      {
        title: 'Kept',
        queries: [
          [`sum(max by (store, form, state) (${ofForm('form_relay_kept_deliveries')})) or vector(0)`, ''],
        ],
        unit: 'short',
        kind: 'stat',
      },
      {
        title: 'Config fails to load',
        queries: [[`max(${of('form_relay_config_failing')})`, '']],
        unit: 'short',
        kind: 'stat',
      },
    ],
  },
  {
    title: 'Submissions',
    panels: [
      {
        title: 'Submissions by outcome',
        queries: [[rate(ofForm('form_relay_submissions_total'), 'outcome'), '{{outcome}}']],
        unit: 'reqps',
        kind: 'stacked',
      },
      {
        title: 'Submissions by form',
        queries: [[rate(ofForm('form_relay_submissions_total'), 'form'), '{{form}}']],
        unit: 'reqps',
        kind: 'stacked',
      },
      {
        title: 'How long visitors wait',
        queries: [
          [quantile(0.5, 'form_relay_submission_duration_seconds', '', form), 'half'],
          [quantile(0.95, 'form_relay_submission_duration_seconds', '', form), '95 %'],
          [quantile(0.99, 'form_relay_submission_duration_seconds', '', form), '99 %'],
        ],
        unit: 's',
      },
    ],
  },
  {
    title: 'Deliveries',
    panels: [
      {
        title: 'Deliveries by outcome',
        queries: [[rate(ofForm('form_relay_deliveries_total'), 'type, outcome'), '{{type}} {{outcome}}']],
        unit: 'reqps',
        kind: 'stacked',
      },
      {
        title: 'What outputs did not take',
        queries: [
          [
            rate(ofForm('form_relay_deliveries_total', 'outcome=~"failed|kept"'), 'form, output, type'),
            '{{form}} {{output}} ({{type}})',
          ],
        ],
        unit: 'reqps',
      },
      {
        title: 'How long outputs take (95 %)',
        queries: [
          [
            quantile(0.95, 'form_relay_delivery_duration_seconds', 'form, output, type', form),
            '{{form}} {{output}} ({{type}})',
          ],
        ],
        unit: 's',
      },
      {
        title: 'Tries by type',
        queries: [[rate(ofForm('form_relay_delivery_tries_total'), 'type'), '{{type}}']],
        unit: 'reqps',
      },
    ],
  },
  {
    title: 'Kept',
    panels: [
      {
        title: 'Kept deliveries',
        queries: [
          [`max by (store, form, state) (${ofForm('form_relay_kept_deliveries')})`, '{{form}} {{state}}'],
        ],
        unit: 'short',
      },
      {
        title: 'The oldest',
        queries: [[`max by (store, form) (${ofForm('form_relay_kept_oldest_age_seconds')})`, '{{form}}']],
        unit: 's',
      },
      {
        title: 'What became of their turns',
        queries: [[rate(ofForm('form_relay_kept_turns_total'), 'outcome'), '{{outcome}}']],
        unit: 'reqps',
      },
    ],
  },
  {
    title: 'Spam',
    panels: [
      {
        title: 'Ended by checks',
        queries: [[rate(ofForm('form_relay_checks_ended_total'), 'check, code'), '{{check}}: {{code}}']],
        unit: 'reqps',
        kind: 'stacked',
      },
      {
        title: 'Signals',
        queries: [[rate(ofForm('form_relay_signals_total'), 'signal, action'), '{{signal}}: {{action}}']],
        unit: 'reqps',
        kind: 'stacked',
      },
      {
        title: 'Signals that could not look',
        queries: [[rate(ofForm('form_relay_signals_silent_total'), 'signal'), '{{signal}}']],
        unit: 'reqps',
      },
    ],
  },
  {
    title: 'Process',
    panels: [
      {
        title: 'Answers by status',
        queries: [[rate(of('form_relay_responses_total'), 'status'), '{{status}}']],
        unit: 'reqps',
        kind: 'stacked',
      },
      {
        title: 'Of its limits',
        queries: (
          [
            'form_relay_submissions_under_way',
            'form_relay_connections',
            'form_relay_body_bytes',
            'form_relay_upload_bytes',
          ] as const
        ).map((name) => [
          `sum by (instance) (${of(name)}) / sum by (instance) (${of(`${name}_limit`)})`,
          `${name.replace('form_relay_', '').replaceAll('_', ' ')} {{instance}}`,
        ]),
        unit: 'percentunit',
      },
      {
        title: 'Longest delay of the event loop (95 % of seconds)',
        queries: [[quantile(0.95, 'form_relay_event_loop_delay_seconds', 'instance'), '{{instance}}']],
        unit: 's',
      },
      {
        title: 'Memory',
        queries: [
          [`sum by (instance) (${of('form_relay_resident_memory_bytes')})`, 'resident {{instance}}'],
          [`sum by (instance) (${of('form_relay_heap_used_bytes')})`, 'heap {{instance}}'],
        ],
        unit: 'bytes',
      },
      {
        title: 'Processors in use',
        queries: [[rate(of('form_relay_cpu_seconds_total'), 'instance'), '{{instance}}']],
        unit: 'short',
      },
    ],
  },
  {
    title: 'Config and log',
    panels: [
      {
        title: 'Since the config was last found good',
        queries: [[`max by (instance) (${of('form_relay_config_age_seconds')})`, '{{instance}}']],
        unit: 's',
        says: 'It rests while nobody asks for a form.',
      },
      {
        title: 'Loads of the config',
        queries: [[rate(of('form_relay_config_loads_total'), 'outcome'), '{{outcome}}']],
        unit: 'reqps',
      },
      {
        title: 'Warnings and errors in the log',
        queries: [
          [
            rate(of('form_relay_log_events_total', 'level=~"warn|error"'), 'level, event'),
            '{{level}} {{event}}',
          ],
        ],
        unit: 'reqps',
        kind: 'stacked',
      },
      {
        title: 'Lines of the log that were lost',
        queries: [[rate(of('form_relay_log_lines_lost_total'), 'instance'), '{{instance}}']],
        unit: 'reqps',
      },
      {
        title: 'Versions',
        queries: [
          [`count by (version, node) (${of('form_relay_build_info')})`, '{{version}} on Node {{node}}'],
        ],
        unit: 'short',
      },
    ],
  },
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts in what is chosen.
const source = { type: 'prometheus', uid: '${datasource}' };
const height = { stat: 4, other: 8 };
const columns = 24;

export const grafanaDashboard = (): string => {
  let id = 0;
  let y = 0;
  const panels = rows.flatMap(({ title, panels }) => {
    id += 1;
    const row = {
      id,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    };
    y += 1;
    const h = panels[0]?.kind === 'stat' ? height.stat : height.other;
    const widths = panels.map((_, at) => edge(at + 1, panels.length) - edge(at, panels.length));
    const drawn = panels.map((panel, at) => {
      id += 1;
      return drawnAs(panel, id, { x: edge(at, panels.length), y, w: widths[at] ?? 0, h });
    });
    y += h;
    return [row, ...drawn];
  });
  const dashboard = {
    uid: 'form-relay',
    title: 'Form Relay',
    description:
      'What becomes of submissions, and how the relay is. docs/metrics.md says what each number means.',
    tags: ['form-relay'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    time: { from: 'now-6h', to: 'now' },
    refresh: '1m',
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        chosen('instance', 'Relay', 'label_values(form_relay_build_info, instance)'),
        chosen('form', 'Form', 'label_values(form_relay_submissions_total, form)'),
      ],
    },
    panels,
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
};

const edge = (at: number, of: number) => Math.round((at * columns) / of);

const chosen = (name: string, label: string, query: string) => ({
  name,
  label,
  type: 'query',
  datasource: source,
  query: { query, refId: name },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { selected: true, text: ['All'], value: ['$__all'] },
});

function drawnAs({ title, queries, unit, says, kind }: Panel, id: number, gridPos: object): object {
  const isStat = kind === 'stat';
  return {
    id,
    type: isStat ? 'stat' : 'timeseries',
    title,
    ...(says && { description: says }),
    datasource: source,
    gridPos,
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: source,
      editorMode: 'code',
      expr,
      legendFormat,
      ...(isStat && { instant: true }),
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(isStat && { decimals: 0 }),
        ...(!isStat && {
          custom: {
            fillOpacity: kind === 'stacked' ? 30 : 5,
            stacking: { mode: kind === 'stacked' ? 'normal' : 'none' },
          },
        }),
      },
      overrides: [],
    },
    options: isStat
      ? {
          reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
          graphMode: 'none',
          colorMode: 'none',
        }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  };
}
