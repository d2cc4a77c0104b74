import { basename } from 'node:path';
import { type Form, type FormOutput, inWords } from '@form-relay/relay/base';
import type { Problem } from '@form-relay/relay/config';
import { keepInWords, sentence } from '@form-relay/relay/dry_run';
import { doubt, keep } from '@form-relay/relay/features';
import { keepStory } from '@form-relay/relay/telling';
import { canvasOf } from './canvas.ts';
import { fixOf } from './fixes.ts';
import { shapeOf } from './form_shape.ts';
import { checksOf, titleOf } from './forms_view.ts';
import { frameAddress } from './framed_page.ts';
import type { LiveConfig } from './live_config.ts';
import type { Look } from './looks.ts';
import { sampleValues } from './samples.ts';
import { siteOf } from './site_view.ts';
import type { FileState, FormState, OutputState, ProblemState, StudioState } from './state.ts';
import type { Switches } from './switches.ts';

export interface Shown {
  readonly config: LiveConfig;
  readonly form: Form | undefined;
  /** The form in each of its languages; none where it has but one. */
  readonly languages: readonly Form[];
  readonly look: Look;
  readonly notes: readonly string[];
  readonly switches: Switches;
  readonly isDelivering: boolean;
  readonly now: number;
  /** Where the studio is, as the browser sees it. */
  readonly origin: string;
  readonly publicUrl: string | undefined;
  readonly run: string;
}

export function stateOf(shown: Shown): StudioState {
  const { config, form, switches, run, isDelivering, origin, publicUrl } = shown;
  return {
    run,
    isLive: isDelivering,
    origin,
    publicUrl,
    file: fileState(config),
    problems: config.problems.map((problem) => problemState(problem, config)),
    forms: [...(config.current?.forms.values() ?? [])].map((one) => ({
      id: one.id,
      title: titleOf(one),
      failing: one.outputs.filter((_, index) => switches.of(one, index)).length,
    })),
    form: form && formState(form, shown),
  };
}

const fileState = (config: LiveConfig): FileState => ({
  name: basename(config.sourceName),
  id: config.id,
  text: config.text,
  isDraft: config.isDraft,
  version: config.version,
  overtakenBy: config.overtakenBy,
  state: config.state,
  locked: config.unreadable && `${config.unreadable}: it can be neither shown nor saved.`,
});

/** A problem of another file, such as a language's, has no place in this one. */
function problemState(problem: Problem, { sourceName, current }: LiveConfig): ProblemState {
  const { severity, code, path, file, excerpt, meant } = problem;
  const isHere = file === sourceName;
  const hasDoubt = [...(current?.forms.values() ?? [])].some(
    (form) => path.startsWith(`forms.${form.id}.`) && doubt.of(form),
  );
  const message = isHere ? problem.message : `${file}: ${problem.message}`;
  const { line, column, length } = (isHere && meant) || {
    line: isHere && code !== 'config_unreadable' ? problem.line : 0,
    column: problem.column,
    length: /\^*$/.exec(excerpt)?.[0].length || 1,
  };
  return {
    severity,
    code,
    line,
    column,
    length,
    path,
    message,
    fix: isHere ? fixOf(problem, hasDoubt) : undefined,
  };
}

function formState(form: Form, shown: Shown): FormState {
  const { look, languages, switches, notes } = shown;
  const kept = keep.of(form);
  const samples = sampleValues(form, shown.now);
  return {
    id: form.id,
    title: titleOf(form),
    look,
    language: form.language,
    languages: languages.map(({ language }) => ({ tag: language, name: nameOf(language) })),
    frame: frameAddress(form, look),
    shape: shapeOf(form, shown.now),
    samples,
    byHand: form.fields
      .filter(({ from_query }) => !from_query)
      .flatMap(({ name, parts }) => parts?.all.map((part) => part.name) ?? name),
    checks: checksOf(form).map(([name, says]) => ({ name, says })),
    outputs: form.outputs.map((output, index) => outputState(form, output, index, switches)),
    keep: kept && sentence(keepInWords(keepStory(kept), 'is')),
    notes,
    site: siteOf(form, shown.origin, samples),
    fieldCount: form.fields.length,
    canvas: canvasOf(form),
  };
}

const outputState = (form: Form, output: FormOutput, index: number, switches: Switches): OutputState => ({
  type: output.type,
  target: output.target?.name ?? '',
  onError: output.on_error,
  when: output.when && inWords(output.when),
  fault: switches.of(form, index),
  faults: switches.faultsOf(output).map(({ name, says }) => ({ name, says })),
});

/** A language's name in itself. */
const nameOf = (tag: string) => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
