import type { Html, HtmlValue } from '@form-relay/base/html';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import type { Files, SentFile, Values } from '@form-relay/base/values';
import type { Classes, Field } from './fields/field.ts';
import type { Form } from './form.ts';
import type { Http } from './http/bound_http.ts';
import type { RelayRequest, RelayResponse } from './http/request.ts';
import type { Locale } from './messages/message.ts';
import type { PluginContext } from './plugin.ts';
import type { Services } from './services.ts';
import type { Settings } from './settings.ts';
import type { Outcome, Submission } from './submission.ts';

/** Another format of responses: whole pages, problem details. */
export interface Renderer {
  readonly name: string;
  /** Also renders responses for trusted servers. */
  readonly isForServers?: true;
  /**
   * Whether it renders the response to this request: `form` for GET of the form, `outcome` for all others.
   * Not called for a submission that names no format: the response is JSON.
   */
  matches(request: RelayRequest, form: Form | undefined, shows: 'form' | 'success' | 'error'): boolean;
  /** Whether one of the relay's own pages submitted the form. */
  isOwnPage?(request: RelayRequest, form: Form): boolean;
  /** Adapts the form to the format. */
  view?(view: FormView): FormView;
  /** Responds to GET of the form. */
  form(rendered: Rendered, answering: RenderContext): MaybePromise<RelayResponse>;
  outcome(outcome: Outcome, answering: RenderContext): MaybePromise<RelayResponse>;
}

export interface RenderContext {
  readonly request: RelayRequest;
  readonly requestId: string;
  /** `undefined` if the config has no such form. */
  readonly form: Form | undefined;
  /** @internal All forms, once a config was loaded. */
  readonly forms: ReadonlyMap<string, Form> | undefined;
  /** The visitor's language among those of the form; English without a form. */
  readonly locale: Locale;
  /** The visitor's language; without a form, the language of the config's first form. */
  readonly pageLocale: Locale;
  /** The submitted values of names that the form knows; `undefined` if the body was not read. */
  readonly sent: Values | undefined;
  readonly settings: Settings;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** The sender's message after a success. */
  confirmationFragment(outcome: Pick<Outcome, 'says' | 'confirmation' | 'codes' | 'html'>): Html;
  /** Renders the form with the submitted values and their errors, or says why it cannot be shown. */
  renderAgain(outcome: Outcome, messages?: readonly HtmlValue[]): MaybePromise<Rendered | Outcome>;
}

export interface Rendered {
  readonly html: Html;
  /** The origins that the markup loads from, by directive of a Content-Security-Policy. */
  readonly sources: readonly PolicySources[];
  /** The code of scripts in the markup. */
  readonly scripts: readonly Html[];
  /** The form's script controls the markup, if the page loads the script. */
  readonly hasScript?: boolean;
  /** Browsers must not store a page that contains it. */
  readonly isUnstored?: boolean;
}

/** For example `{'script-src': ['https://challenges.cloudflare.com']}`. */
export type PolicySources = Readonly<Record<string, readonly string[]>>;

export interface FormView {
  readonly form: Pick<Form, 'id' | 'notes' | 'provided'>;
  readonly locale: Locale;
  /**
   * @internal How fields are shown and hidden: by the form's script, on other pages (`script`) or on the
   * relay's own (`page`), which also works without it; by default by htmx.
   */
  readonly medium?: 'page' | 'script' | undefined;
  /** @internal `false` if the page around the form shows the form's title. */
  readonly hasHeading?: boolean;
  /** The site's class names for parts of the form, as in the config's `classes`. */
  readonly classes?: Classes;
  /** @internal Fields whose values the visitor sees but cannot change. */
  readonly locked?: ReadonlySet<string> | undefined;
  /** @internal Why the form is shown again, above the errors of its fields. */
  readonly messages?: readonly HtmlValue[];
  /** @internal A field of the rendered form asks which fields to show, so the values are the visitor's own, not those of a link. */
  readonly isLoaded?: boolean;
  /** @internal The query of the address that the form is submitted to, such as `as=page`. */
  readonly query?: string;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  /** @internal Scripts that the form loads, in addition to those of fields and features: `/api/v1/<part>.js`. */
  readonly parts?: readonly string[] | undefined;
  readonly fields: readonly Field[];
  /** The part of the form's addresses before `/api/v1`; empty on the relay's own origin. */
  readonly base: string;
  readonly values: Values;
  /** The submitted values, if the form is rendered again. */
  readonly sent: Values | undefined;
  readonly outcome?: Outcome | undefined;
  /** `undefined` if the form is printed into a static page. */
  readonly request?: RelayRequest | undefined;
  /** Milliseconds since the epoch. `undefined` if the form is printed into a static page. */
  readonly now: number | undefined;
  /** @internal */ readonly settings: Settings | undefined;
  readonly services: Services | undefined;
}

/** Markup that a feature adds to a form, by position. */
export interface FormMarkup {
  /** Above the fields. */
  readonly before?: HtmlValue;
  /** Below the fields: hidden inputs or a widget. */
  readonly inputs?: HtmlValue;
  /** Below the button, which remains the one that the Enter key activates. */
  readonly after?: HtmlValue;
  /** @internal Above the button. */
  readonly challenge?: HtmlValue;
  /** @internal The code of scripts at the end of a form for htmx. */
  readonly scripts?: readonly Html[];
  /** The script that the form loads for it, a name in `Plugin.scripts`. */
  readonly part?: string;
  /** @internal */ readonly attributes?: Readonly<Record<string, string | undefined>>;
  /** @internal A note between fields. Default: a paragraph with links. */
  readonly note?: (text: string) => HtmlValue;
  /** @internal Puts rendered fields side by side. A row replaces its first field and leaves the others empty. */
  readonly rows?: (fields: readonly HtmlValue[]) => readonly HtmlValue[];
  /** @internal Does the same to rows and the notes between them: puts a legend or a heading above some. */
  readonly runs?: (fields: readonly HtmlValue[]) => readonly HtmlValue[];
  /** Additions to the Content-Security-Policy of the relay's pages, by directive. */
  readonly sources?: PolicySources;
  /** Only this visitor may see the values: browsers do not store the page, and do not send its URL to other sites. */
  readonly isUnstored?: true;
  /** @internal The form is submitted as `multipart/form-data`. */
  readonly isMultipart?: true;
}

/** An API address that a feature serves: `/api/v1/<name>/{form}`. */
export interface Route {
  readonly name: string;
  /** @internal It also serves addresses with an id: `/api/v1/<name>/{form}/{id}`. */
  readonly takesId?: true;
  /** OPTIONS is always allowed; GET includes HEAD. */
  readonly method: 'GET' | 'POST' | 'GET, POST';
  readonly answer: (call: RouteContext) => MaybePromise<RelayResponse>;
}

/** An address that concerns no form, for pages of every origin: a script, a style sheet, public keys. */
export interface PublicRoute {
  readonly matches: (path: string) => boolean;
  /** Caches store the response, so requests are not throttled. */
  readonly isFree?: true;
  readonly answer: (request: RelayRequest, context: PluginContext) => MaybePromise<RelayResponse>;
}

export interface RouteContext extends PluginContext {
  readonly request: RelayRequest;
  readonly form: Form;
  /** All forms of the config, by id: for calls to the address of one form that concern another. */
  readonly forms: ReadonlyMap<string, Form>;
  readonly requestId: string;
  /** Aborts when the time of the request is up. */
  readonly signal: AbortSignal;
  /** Sends requests within its time limit. */
  readonly http: Http;
  /** Responds with an outcome in the format that the client wants. */
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
  /** @internal The context of renderers, for routes that render their own responses. */
  renderContext(): RenderContext;
  /** @internal Restores a stored submission, to run the rest of a pipeline: `respond(await next(resume(stored)))`. */
  resume(
    about: Pick<Submission, 'requestId' | 'receivedAt' | 'values'> & Partial<Pick<Submission, 'files'>>,
  ): Submission;
  /** @internal Notifies observers of a restored submission's outcome and response; the log has a line for it. */
  observe(submission: Submission, outcome: Outcome, answer: RelayResponse): void;
}

/** Reads bodies of one media type. */
export interface BodyParser {
  /** In lower case, such as `multipart/form-data`. */
  readonly mediaType: string;
  /** The size limit. Bodies up to 64 KB count towards BODY_BYTES_LIMIT, larger ones towards UPLOAD_BUDGET. */
  readonly maxBytes: number;
  readonly parse: (body: Uint8Array, contentType: string) => MaybePromise<ParsedBody | Outcome>;
  /** @internal Only trusted servers may send it. */
  readonly isForServers?: true;
}

export interface ParsedBody {
  readonly values: Values;
  readonly files?: Files<SentFile>;
  /** @internal */ readonly lists?: SentLists;
}

/** For each field whose values came in a list (JSON): the indices of the values that are not empty. */
export type SentLists = ReadonlyMap<string, readonly number[]>;
