import { configSchemaText } from '../../src/config/json_schema.ts';
import { browserCode } from './browser_code.ts';
import { doubtPage } from './doubt_page.ts';
import { elementCode, filesCode, guardCode, stepsCode } from './element_code.ts';
import { grafanaDashboard } from './grafana.ts';
import { installPage } from './install_page.ts';
import { mailGuides } from './mail_guides.ts';
import { mailPage } from './mail_page.ts';
import { metricsPage } from './metrics_page.ts';
import { awsPartitions } from './partitions.ts';
import { problemTypes } from './problem_types.ts';
import { recipeConfigs, recipeNames } from './recipes.ts';
import { reference } from './reference.ts';
import { siteGuides } from './site_guides.ts';
import { styleCode } from './style_code.ts';

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
  'src/tools/cli/recipe_names.ts': recipeNames,
  'src/tools/cli/recipes.ts': recipeConfigs,
  'src/transports/aws/partitions.ts': awsPartitions,
  'src/views/element_code.ts': elementCode,
  'src/views/files_code.ts': filesCode,
  'src/views/guard_code.ts': guardCode,
  'src/views/steps_code.ts': stepsCode,
  'src/views/style_code.ts': styleCode,
  'src/views/browser_code.ts': () => browserCode('src/views', '..'),
  'src/tools/playground/browser_code.ts': () => browserCode('src/tools/playground', '../..'),
} as const;
