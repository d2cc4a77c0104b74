import { configSchemaText } from '../../packages/relay/src/config/json_schema.ts';
import { doubtPage } from './doubt_page.ts';
import { grafanaDashboard } from './grafana.ts';
import { installPage } from './install_page.ts';
import { mailGuides } from './mail_guides.ts';
import { mailPage } from './mail_page.ts';
import { metricsPage } from './metrics_page.ts';
import { awsPartitions } from './partitions.ts';
import { problemTypes } from './problem_types.ts';
import { reference } from './reference.ts';
import { siteGuides } from './site_guides.ts';

/** Every generated file, by its path from the root. The same sources give the same bytes. */
export const generatedFiles = {
  'docs/webform.schema.json': configSchemaText,
  ...mailGuides,
  'deploy/grafana/form-relay.json': grafanaDashboard,
  'docs/install.md': () => installPage(),
  'docs/metrics.md': metricsPage,
  ...problemTypes,
  ...siteGuides,
  'docs/outputs/email.md': mailPage,
  'docs/reference.md': reference,
  'docs/doubt.md': doubtPage,
  'packages/relay/src/transports/aws/partitions.ts': awsPartitions,
} as const;
