/** Every figure of RESULTS.md that is a ratio to a server: `npm run bench`. */
import './http.ts';
import './smtp.ts';
