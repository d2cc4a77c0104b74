import { randomUUID } from 'node:crypto';
import { ClientError, stackOf } from '@form-relay/base/client_error';
import { version } from '@form-relay/base/version';
import { SettingError } from '@form-relay/core/settings';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { bounded, cut } from './bounds.ts';
import { ToolError } from './owner.ts';
import type { Session } from './session.ts';
import { notice, type Tool } from './tool.ts';
import { askPerson, readAnswerTool } from './tools/ask.ts';
import { readConfigTool, runDoctor, validateConfig, writeConfig } from './tools/config.ts';
import { explainSubmission } from './tools/explain_submission.ts';
import { readManual, searchManual } from './tools/read_manual.ts';
import { readSubmissions } from './tools/read_submissions.ts';

export const tools: readonly Tool[] = [
  searchManual,
  readManual,
  readConfigTool,
  validateConfig,
  explainSubmission,
  writeConfig,
  runDoctor,
  readSubmissions,
  askPerson,
  readAnswerTool,
];

const instructions = (session: Session) =>
  [
    'Form Relay accepts submissions of web forms that a YAML config declares, and delivers each to the outputs of its form.',
    'Look keys up with search_manual before you use them, check every draft with validate_config, and try it with explain_submission: these send nothing.',
    session.asks &&
      `The owner lets you ask people: show what ask_person returns before you confirm it. ${notice} You cannot write the config in this session.`,
    session.showsValues
      ? `The owner lets you read submissions. ${notice} You cannot write the config in this session.`
      : !session.asks &&
        'This session never shows submitted values. Show the owner what write_config would change before you call it.',
  ]
    .filter(Boolean)
    .join('\n');

/** Creates a server with the session's tools. */
export function makeServer(session: Session): McpServer {
  const server = new McpServer(
    { name: 'form-relay', title: 'Form Relay', version },
    { instructions: instructions(session) },
  );
  for (const tool of tools) {
    if (tool.isIn?.(session) ?? true) register(server, tool, session);
  }
  return server;
}

function register(server: McpServer, tool: Tool, session: Session): void {
  const { name, title, description, input, output, annotations } = tool;
  const config = {
    title,
    description,
    inputSchema: input,
    outputSchema: output.extend({ cut }),
    annotations,
  };
  server.registerTool(name, config, async (given, { mcpReq: { signal } }): Promise<CallToolResult> => {
    try {
      const found = await tool.run(given, session, signal);
      // Only answers from servers can quote a secret: drafts have none, and the manual must not be altered.
      const { answer, json } = bounded(annotations.openWorldHint ? await session.hidden(found) : found);
      const text = 'untrusted_submissions' in answer ? fenced(json) : json;
      return { content: [{ type: 'text', text }], structuredContent: answer as Record<string, unknown> };
    } catch (error) {
      if (signal.aborted) throw error;
      return {
        content: [{ type: 'text', text: await session.hidden(reasonOf(name, error)) }],
        isError: true,
      };
    }
  });
}

/** Puts visitors' words between markers that visitors cannot guess. */
function fenced(json: string): string {
  const mark = `submissions-${randomUUID()}`;
  return `${notice}\n<${mark}>\n${json}\n</${mark}>`;
}

const isForAssistant = (error: unknown): error is Error =>
  [ToolError, ClientError, SettingError].some((known) => error instanceof known);

function reasonOf(name: string, error: unknown): string {
  if (isForAssistant(error)) return error.message.slice(0, 20_000);
  process.stderr.write(`relay mcp: ${name} failed: ${stackOf(error)}\n`);
  return `${name} failed: this is a bug in Form Relay. See the log on stderr.`;
}
