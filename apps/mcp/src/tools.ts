/** Every tool of `relay mcp`, in the order that assistants see. */
import type { Tool } from './tool.ts';
import { explainSubmission } from './tools/explain_submission.ts';
import { readConfigTool } from './tools/read_config.ts';
import { readManual } from './tools/read_manual.ts';
import { readSubmissions } from './tools/read_submissions.ts';
import { runDoctor } from './tools/run_doctor.ts';
import { searchManual } from './tools/search_manual.ts';
import { validateConfig } from './tools/validate_config.ts';
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
