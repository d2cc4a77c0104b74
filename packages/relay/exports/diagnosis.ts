export { type Diagnosis, type DnsRecord, failure, ok, warning } from '../src/base/diagnosis.ts';
