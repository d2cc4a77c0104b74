export type { TestedOutput, TestReport } from '../src/send_test/report.ts';
export { createTest, type FormTest } from '../src/send_test/send_test.ts';
