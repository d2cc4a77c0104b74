/**
 * Mutation testing: Stryker changes the code one thing at a time, and the tests of its area must notice. Takes the names
 * of areas, or does all, in some hours; prints what nobody noticed, and writes reports/mutation/<area>.html. What did not
 * change since the last run is not tried again (reports/mutation/<area>.incremental.json); a test that changed under its
 * old name is not seen, so remove that file after working on tests.
 *
 * `--quick` tries the same mutants in minutes (quick.mjs), and with `--ignore-static` not those that only run while
 * modules are loaded. `--since COMMIT` changes only lines that changed since.
 *
 * Nobody need notice: a shortcut that only saves time or memory; a default that TypeScript asks for and nothing reaches;
 * a comparison that decides the same either way; the words of a message. Anything else lacks a test, or is dead code.
 *
 * What is loaded late has to be imported by a test's file, too: what runs while a module is loaded would be tried against
 * the first test alone, in the middle of which it is loaded.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { globSync } from 'tinyglobby';
import { quick } from './quick.mjs';

/** The least share of mutants that the tests of an area have to notice. */
const aim = 0.9;

/** The tests are those that hold the area's promises: more would take hours, and hide what these do not hold. */
const areas = {
  bodies: {
    mutate: ['packages/relay/src/bodies/**/*.ts'],
    tests: ['test/bodies', 'test/spec/post_submit.test.ts', 'test/runtimes/fetch_uploads.test.ts'],
  },
  // packages/relay/src/outputs in three: of each mutant, whose tests can notice it.
  mails: {
    mutate: ['packages/relay/src/outputs/{email,smtp*,dkim*,mail*,html_mail,linked_template,filled_in}.ts'],
    tests: [
      'test/outputs/letters.test.ts',
      'test/docs/generated.test.ts',
      'test/outputs/mail_messages.test.ts',
      'test/config/cases.test.ts',
      'test/delivery/warnings.test.ts',
      'test/delivery/mail_words.test.ts',
      'test/outputs/letter.property.test.ts',
      'test/spec/output.test.ts',
      'test/delivery/mail_files.test.ts',
      'test/spec/output_types.test.ts',
      'test/outputs/dkim.test.ts',
      'test/outputs/smtp_oauth2.test.ts',
      'test/delivery/doubt.test.ts',
      'test/delivery/page_context.test.ts',
      'test/visitor_mails/confirmation_mail.test.ts',
      'test/aws/ses.test.ts',
      'test/doctor/mail_dns.test.ts',
      'test/dry_run/dry_run.test.ts',
      'test/attack/mail.test.ts',
      'test/delivery/smtp_faults.test.ts',
    ],
  },
  chats: {
    mutate: [
      'packages/relay/src/outputs/{chat*,discord,google_chat,matrix,mattermost,ntfy,slack,teams,telegram,filled_in}.ts',
    ],
    tests: [
      'test/docs/generated.test.ts',
      'test/config/cases.test.ts',
      'test/outputs/chat_messages.test.ts',
      'test/outputs/chat_text.property.test.ts',
      'test/outputs/chats.test.ts',
      'test/outputs/chat_places.test.ts',
      'test/delivery/doubt.test.ts',
      'test/delivery/page_context.test.ts',
      'test/dry_run/dry_run.test.ts',
    ],
  },
  outputs: {
    mutate: [
      'packages/relay/src/outputs/{archive_outputs,crm_web2lead,folder,http_outputs,http_post}.ts',
      'packages/relay/src/outputs/{index,oauth2*,output,payload,s3,webhook*}.ts',
    ],
    tests: [
      'test/docs/generated.test.ts',
      'test/config/cases.test.ts',
      'test/spec/output.test.ts',
      'test/spec/multi_value_serialization.test.ts',
      'test/spec/output_types.test.ts',
      'test/outputs/webhook.test.ts',
      'test/outputs/webhook_files.test.ts',
      'test/outputs/sign.test.ts',
      'test/outputs/archive.test.ts',
      'test/outputs/oauth2.test.ts',
      'test/delivery/when.test.ts',
      'test/delivery/doubt.test.ts',
      'test/delivery/page_context.test.ts',
      'test/delivery/retries.test.ts',
      'test/dry_run/oauth2.test.ts',
      'test/dry_run/dry_run.test.ts',
    ],
  },
  places: {
    mutate: ['packages/relay/src/features/places/**/*.ts', 'packages/relay/src/counting/**/*.ts'],
    // Those that start processes last.
    tests: [
      'test/places/places.test.ts',
      'test/places/single_use.test.ts',
      'test/places/once.test.ts',
      'test/places/folder_steps.test.ts',
      'test/places/workers.test.ts',
      'test/config/cases.test.ts',
      'test/doctor/counting.test.ts',
      'test/keys',
      'test/bounces/blocking.test.ts',
      'test/places',
      'test/runtimes/cloudflare.test.ts',
    ],
  },
  visitor_mails: {
    mutate: ['packages/relay/src/features/visitor_mails/**/*.ts'],
    tests: [
      'test/visitor_mails',
      'test/bounces/blocking.test.ts',
      'test/config/cases.test.ts',
      'test/keep/visitors.test.ts',
      'test/runtimes/lambda_double_opt_in.test.ts',
    ],
  },
  fields: {
    mutate: ['packages/relay/src/fields/**/*.ts', '!packages/relay/src/fields/pattern/**/*.ts'],
    tests: [
      'test/fields',
      'test/spec/field.test.ts',
      'test/checks/validation.test.ts',
      'test/config/cases.test.ts',
      'test/views',
    ],
  },
  keys: {
    mutate: ['packages/relay/src/features/keys/**/*.ts', 'packages/relay/src/street/from_server.ts'],
    tests: ['test/keys', 'test/attack/keys.test.ts', 'test/config/cases.test.ts'],
  },
  bounces: {
    mutate: [
      'packages/relay/src/features/bounces/**/*.ts',
      'packages/relay/src/keeping/bounce_*.ts',
      'packages/relay/src/base/bounces.ts',
      'packages/relay/src/transports/mail/mailbox.ts',
    ],
    tests: ['test/bounces', 'test/doctor/bounces.test.ts', 'test/config/cases.test.ts'],
  },
  checks: {
    mutate: [
      'packages/relay/src/features/**/*.ts',
      '!packages/relay/src/features/{bounces,keep,keys,places,visitor_mails}/**/*.ts',
    ],
    tests: [
      'test/checks/typed_number.property.test.ts',
      'test/checks/token.property.test.ts',
      'test/checks/solution.property.test.ts',
      'test/checks/doubt_actions.test.ts',
      'test/checks/validation.test.ts',
      'test/dry_run/reasons.test.ts',
      'test/dry_run/proof_reasons.test.ts',
      'test/dry_run/doubt.test.ts',
      'test/dry_run/dry_run.test.ts',
      'test/checks/scan.test.ts',
      'test/spec/field.test.ts',
      'test/signals/people.test.ts',
      'test/signals/broken_signals.test.ts',
      'test/delivery/doubt.test.ts',
      'test/spec/spam_block.test.ts',
      'test/contract/captchas.test.ts',
      'test/spec/captcha_block.test.ts',
      'test/attack/pattern.test.ts',
      'test/fields/files.test.ts',
      'test/answers/check.test.ts',
      'test/answers/challenges.test.ts',
      'test/attack/proof.test.ts',
      'test/checks',
      'test/signals/local.test.ts',
      'test/attack/token.test.ts',
      'test/spec/post_submit.test.ts',
      'test/street/schedule.test.ts',
      'test/places/single_use.test.ts',
      'test/answers/receipts.test.ts',
      'test/journal/stats.test.ts',
      'test/keys/keys.test.ts',
      'test/bounces/blocking.test.ts',
      'test/fields/times.test.ts',
    ],
  },
  template: {
    mutate: ['packages/relay/src/schema/template/**/*.ts'],
    tests: [
      'test/template/template.test.ts',
      'test/config/cases.test.ts',
      'test/spec/templating.test.ts',
      'test/template',
      'test/delivery/mail_words.test.ts',
      'test/delivery/page_context.test.ts',
      'test/docs/generated.test.ts',
    ],
  },
  // packages/relay/src/config in four: what reads the text, what is said of it, what a form is made of, and when it is loaded.
  config_text: {
    mutate: [
      'packages/relay/src/config/yaml/**/*.ts',
      'packages/relay/src/config/{curly_quotes,excerpt,first_causes,mask,misplaced_keys,problem,unknown_keys}.ts',
    ],
    tests: [
      'test/config/mask.test.ts',
      'test/config/excerpt.test.ts',
      'test/config/complaints.test.ts',
      'test/config/sizes.test.ts',
      'test/outputs/webhook_bodies.test.ts',
      'test/config/cases.test.ts',
      'test/config/problem.test.ts',
      'test/config/document.property.test.ts',
      'test/config/secrets.property.test.ts',
      'test/assistants/config_view.test.ts',
      'test/assistants/secrets.test.ts',
    ],
  },
  config_findings: {
    mutate: [
      'packages/relay/src/config/{cross_checks,form_languages}.ts',
      'packages/relay/src/config/{groups_and_steps,language_warnings,needed_variables,unreached}.ts',
      'packages/relay/src/features/keep/*.ts',
      'packages/relay/src/features/doubt/aside.ts',
      'packages/relay/src/config/{warnings,warnings_beside_errors}.ts',
    ],
    tests: [
      'test/config/cases.test.ts',
      'test/config/variables.test.ts',
      'test/views/classes.test.ts',
      'test/views/owners_words.test.ts',
      'test/languages/own_language.test.ts',
      'test/doctor/gates.test.ts',
      'test/doctor/keeping.test.ts',
      'test/doctor/environment.test.ts',
      'test/config/late_forms.test.ts',
      'test/config/limit_uploads.test.ts',
      'test/config/unreached.property.test.ts',
      'test/page_check/cases.test.ts',
      'test/answers/receipts.test.ts',
      'test/delivery/warnings.test.ts',
      'test/languages',
      'test/spec/output.test.ts',
      'test/spec/spam_block.test.ts',
      'test/spec/captcha_block.test.ts',
      'test/signals/local.test.ts',
      'test/keep/alerts.test.ts',
      'test/config/parse.property.test.ts',
      'test/attack/config.test.ts',
      'test/keys/keys.test.ts',
      'test/config/keep_places.test.ts',
    ],
  },
  config_forms: {
    mutate: [
      'packages/relay/src/config/*.ts',
      '!packages/relay/src/config/{curly_quotes,excerpt,first_causes,mask,misplaced_keys,problem,unknown_keys}.ts',
      '!packages/relay/src/config/{cross_checks,form_languages}.ts',
      '!packages/relay/src/config/{groups_and_steps,language_warnings,needed_variables,unreached}.ts',
      '!packages/relay/src/config/{warnings,warnings_beside_errors}.ts',
      '!packages/relay/src/config/{parse,parse_incrementally,forms,late_forms,cache,source,fingerprint}.ts',
    ],
    // Not test/config/late_parts.test.ts, which holds when parts are read: within a test it loads modules again, and
    // `--quick` would try what runs meanwhile there alone.
    tests: [
      'test/config/cases.test.ts',
      'test/config/used_names.test.ts',
      'test/config/keep_places.test.ts',
      'test/docs/generated.test.ts',
      'test/keep/alert_outputs.test.ts',
      'test/config/cache.test.ts',
      'test/config/late_forms.test.ts',
      'test/config/limit_uploads.test.ts',
      'test/lists/beside_config.test.ts',
      'test/languages/own_language.test.ts',
      'test/languages/forms.test.ts',
      'test/doctor/gates.test.ts',
      'test/views/classes.test.ts',
      'test/views/owners_words.test.ts',
      'test/spec/get_form.test.ts',
      'test/dry_run/proof_reasons.test.ts',
      'test/config/variables.test.ts',
      'test/bodies/json.test.ts',
      'test/checks/doubt_actions.test.ts',
      'test/signals/local.test.ts',
      'test/delivery/doubt.test.ts',
      'test/delivery/mail_words.test.ts',
      'test/delivery/page_context.test.ts',
      'test/checks/scan.test.ts',
      'test/checks/proof.test.ts',
      'test/fields/files.test.ts',
      'test/config/secret_values.test.ts',
      'test/assistants/secrets.test.ts',
    ],
  },
  loading: {
    mutate: [
      'packages/relay/src/config/{parse,parse_incrementally,forms,late_forms,cache,source,fingerprint}.ts',
    ],
    tests: [
      'test/config/cases.test.ts',
      'test/config/fingerprint.test.ts',
      'test/config/parse_incrementally.test.ts',
      'test/config/cache.test.ts',
      'test/config/source.test.ts',
      'test/config/late_forms.test.ts',
      'test/spec/configuration_sources_and_caching.test.ts',
      'test/languages/own_language.test.ts',
      'test/lists/beside_config.test.ts',
      'test/spec/output.test.ts',
      'test/spec/spam_block.test.ts',
    ],
  },
  metrics: {
    mutate: ['packages/relay/src/telling/metrics/**/*.ts'],
    tests: [
      'test/metrics/parts.test.ts',
      'test/metrics/snapshot.test.ts',
      'test/metrics/writer.property.test.ts',
      'test/metrics/counts.test.ts',
      'test/attack/metrics_port.test.ts',
    ],
  },
  entrance: {
    mutate: [
      'packages/relay/src/base/client.ts',
      'packages/relay/src/street/{admission,app,exchange,find_form,health,route,throttle,upload_room}.ts',
    ],
    tests: [
      'test/street/client.test.ts',
      'test/street/upload_room.test.ts',
      'test/street/admission.test.ts',
      'test/street/app.test.ts',
      'test/street/health.test.ts',
      'test/spec/versioning.test.ts',
      'test/spec/errors.test.ts',
      'test/spec/get_token.test.ts',
      'test/spec/cors.test.ts',
      'test/config/variables.test.ts',
      'test/spec/configuration_sources_and_caching.test.ts',
      'test/attack/path.test.ts',
      'test/answers/assets.test.ts',
      'test/answers/receipts.test.ts',
      'test/spec/limits.test.ts',
      'test/spec/get_form.test.ts',
      'test/languages/forms.test.ts',
      'test/answers/check.test.ts',
      'test/spec/post_submit.test.ts',
      'test/attack/limits.test.ts',
      'test/attack/uploads.test.ts',
      'test/metrics/counts.test.ts',
      'test/checks/proof.test.ts',
      'test/visitor_mails/double_opt_in.test.ts',
      'test/keys',
      'test/journal/stats.test.ts',
      'test/bounces/blocking.test.ts',
      'test/bounces/providers.test.ts',
    ],
  },
  street: {
    mutate: [
      'packages/relay/src/street/*.ts',
      '!packages/relay/src/street/{admission,app,exchange,find_form,from_server,health,route,throttle,upload_room}.ts',
    ],
    tests: [
      'test/street/submission.test.ts',
      'test/delivery/doubt.test.ts',
      'test/answers/check.test.ts',
      'test/answers/challenges.test.ts',
      'test/answers/receipts.test.ts',
      'test/street/rate_limit.test.ts',
      'test/street/origins.test.ts',
      'test/keep/kept.test.ts',
      'test/delivery/when.test.ts',
      'test/delivery/warnings.test.ts',
      'test/delivery/retries.test.ts',
      'test/spec/output.test.ts',
      'test/spec/spam_block.test.ts',
      'test/spec/errors.test.ts',
      'test/spec/post_submit.test.ts',
      'test/checks/scan.test.ts',
      'test/fields/files.test.ts',
      'test/delivery/page_context.test.ts',
      'test/checks/proof.test.ts',
      'test/keep/visitors.test.ts',
      'test/visitor_mails/sending.test.ts',
      'test/visitor_mails/confirmation_mail.test.ts',
      'test/visitor_mails/double_opt_in.test.ts',
      'test/visitor_mails/limits.test.ts',
      'test/runtimes/lambda_double_opt_in.test.ts',
      'test/keys',
      'test/bounces/blocking.test.ts',
      'test/street/health.test.ts',
    ],
  },
  trace: {
    mutate: ['packages/relay/src/base/trace.ts'],
    tests: ['test/street/tracing.test.ts'],
  },
  lambda_events: {
    mutate: ['packages/relay/src/runtimes/lambda/*.ts'],
    tests: [
      'test/runtimes/lambda_shapes.test.ts',
      'test/runtimes/lambda.property.test.ts',
      'test/runtimes/lambda_events.test.ts',
      'test/attack/lambda_events.test.ts',
      'test/attack/lambda_path.test.ts',
    ],
  },
  // The Worker is tested as built, in workerd. Here the same tests have it in their own process (in_process/).
  cloudflare: {
    mutate: [
      'packages/relay/src/runtimes/cloudflare/*.ts',
      'packages/relay/src/config/platforms/cloudflare.ts',
      'packages/relay/src/transports/http/fetch_client.ts',
    ],
    tests: ['test/runtimes/cloudflare.test.ts', 'test/config/cases.test.ts'],
  },
  assistants: {
    mutate: ['packages/cli/src/mcp/**/*.ts'],
    // Those that run in milliseconds first.
    tests: [
      'test/assistants/config_view.test.ts',
      'test/assistants/config_changes.test.ts',
      'test/assistants/manual.test.ts',
      'test/assistants/schema.test.ts',
      'test/assistants/answers.test.ts',
      'test/assistants/tools.test.ts',
      'test/assistants/config_tools.test.ts',
      'test/assistants/counts.test.ts',
      'test/assistants/submissions.test.ts',
      'test/assistants',
    ],
  },
  workers: {
    mutate: ['packages/relay/src/runtimes/workers/{auto_workers,channel,shared_counts,throttle_leases}.ts'],
    tests: [
      'test/workers/count.test.ts',
      'test/workers/counting.test.ts',
      'test/workers/parts.property.test.ts',
    ],
  },
  aws_addresses: {
    mutate: ['packages/relay/src/transports/aws/{account,s3_request}.ts'],
    tests: ['test/aws/endpoints.test.ts', 'test/attack/aws.test.ts', 'test/aws/credentials.test.ts'],
  },
  memory: {
    mutate: ['packages/relay/src/memory/**/*.ts'],
    tests: ['test/signals/texts.test.ts', 'test/memory', 'test/street/rates.property.test.ts'],
  },
};

const { values, positionals: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    'ignore-static': { type: 'boolean', default: false },
    since: { type: 'string' },
  },
  allowPositionals: true,
});
const unknown = asked.find((area) => !Object.hasOwn(areas, area));
if (unknown !== undefined) {
  process.stderr.write(`No area "${unknown}"; there are ${Object.keys(areas).join(', ')}.\n`);
  process.exit(2);
}
const changed = values.since && linesChangedSince(values.since);
/** Of each file, all or these lines. */
const linesOf = (area) =>
  new Map(
    globSync(areas[area].mutate)
      .sort()
      .map((file) => [file, changed ? (changed.get(file) ?? []) : true])
      .filter(([, lines]) => lines === true || lines.length > 0),
  );
const named = asked.length > 0 ? asked : Object.keys(areas);
const due = named.filter((area) => linesOf(area).size > 0);
const rows = [];
const goesOn = values.quick && due.some((area) => existsSync(`reports/mutation/${area}.quick.tsv`));

process.env.FUZZ_RUNS = '100';
if (values.quick && due.length > 1) await sideBySide();
else for (const area of due) await (values.quick ? tryQuickly(area) : tryWithStryker(area));

/** The first and the last line of each change, from 1, by file. */
function linesChangedSince(commit) {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 30 };
  const words = ['diff', '--unified=0', '--diff-filter=d', commit, '--', 'packages'];
  const found = new Map();
  const [, ...files] = execFileSync('git', words, options).split(/^\+\+\+ b\//m);
  for (const file of files) {
    const changes = [...file.matchAll(/^@@ \S+ \+(\d+)(?:,(\d+))? @@/gm)]
      .map(([, first, count = 1]) => [Number(first), Number(first) + Number(count) - 1])
      .filter(([first, last]) => first <= last);
    found.set(file.split('\n', 1)[0], changes);
  }
  return found;
}

/** Each in a process of its own: with a mutant, tests mostly wait for what never comes. */
async function sideBySide() {
  const folder = mkdtempSync(join(tmpdir(), 'relay-mutation-'));
  const left = [...due];
  const next = async () => {
    for (let area = left.shift(); area !== undefined; area = left.shift()) {
      const file = join(folder, area);
      const words = [...process.argv.slice(1).filter((word) => !asked.includes(word)), area];
      const env = { ...process.env, REPORT_FILE: file };
      const [code] = await once(spawn(process.execPath, words, { stdio: 'inherit', env }), 'exit');
      if (code !== 0) throw new Error(`${area} ended with ${code}`);
      rows.push(...JSON.parse(readFileSync(file, 'utf8')).tables['']);
    }
  };
  await Promise.all(Array.from({ length: 6 }, next));
  rmSync(folder, { recursive: true });
  rows.sort((a, b) => due.indexOf(a.area) - due.indexOf(b.area));
}

async function tryQuickly(area) {
  const parts = { lines: linesOf(area), tests: areas[area].tests };
  const { mutants, killed, untried } = await quick(area, parts, { ignoreStatic: values['ignore-static'] });
  if (mutants === untried) return;
  const noticed = Number(((100 * killed) / (mutants - untried)).toFixed(1));
  rows.push({ area, mutants, 'not tried': untried, 'noticed %': noticed });
}

async function tryWithStryker(area) {
  // For vitest.config.mjs.
  process.env.MUTATION_TESTS = areas[area].tests.join();
  const report = `reports/mutation/${area}`;
  await new Stryker({
    testRunner: 'vitest',
    vitest: { configFile: 'lab/mutation/vitest.config.mjs', related: false },
    mutate: [...linesOf(area)].flatMap(([file, lines]) =>
      lines === true ? file : lines.map(([first, last]) => `${file}:${first}-${last}`),
    ),
    ignorePatterns: ['dist', 'reports'],
    // Stryker does not know TypeScript 7, and needs none: Vite strips the types.
    disableTypeChecks: false,
    tsconfigFile: 'none',
    concurrency: 2,
    timeoutMS: 40_000,
    timeoutFactor: 4,
    dryRunTimeoutMinutes: 30,
    incremental: true,
    incrementalFile: `${report}.incremental.json`,
    reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `${report}.html` },
    jsonReporter: { fileName: `${report}.json` },
  }).runMutationTest();
}

if (process.env.REPORT_FILE) {
  const tried = values.since ? `lines that changed since ${values.since}` : 'all files';
  const conditions = goesOn ? `${tried}; the time is that of the last of several runs` : tried;
  const passed = rows.every((row) => row['noticed %'] >= 100 * aim);
  writeFileSync(process.env.REPORT_FILE, JSON.stringify({ passed, conditions, tables: { '': rows } }));
}
