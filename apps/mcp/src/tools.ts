/** Every tool of `relay mcp`, in the order that assistants see. */
import type { Tool } from './tool.ts';
import { explainSubmission } from './tools/explain_submission.ts';
import { readConfigTool, runDoctor, validateConfig } from './tools/read_config.ts';
import { readManual, searchManual } from './tools/read_manual.ts';
import { readSubmissions } from './tools/read_submissions.ts';
import { writeConfig } from './tools/write_config.ts';

export const tools: readonly Tool[] = [
  searchManual,
  readManual,
  readConfigTool,
  validateConfig,
  explainSubmission,
  writeConfig,
  runDoctor,
  readSubmissions,
];
