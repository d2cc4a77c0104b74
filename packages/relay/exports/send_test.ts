export type { LookEffects } from '../src/send_test/archive_looks.ts';
export {
  createTest,
  type FormTest,
  type TestedOutput,
  type TestReport,
} from '../src/send_test/send_test.ts';
