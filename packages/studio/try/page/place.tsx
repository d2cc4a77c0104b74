/** Takes the place of the studio's own place.tsx: a link to share, and how this page differs. */
import { linked, share } from './share.ts';

export const PlaceActions = () => (
  <button type="button" class="tool" onClick={() => void share()}>
    Share
  </button>
);

export const PlacePdf = () => (
  <p class="aside">
    The PDF is not written here: what writes it is larger than this whole page. <code>relay dev</code> writes
    it, and lets you save it.
  </p>
);

export const PlaceNotes = () => (
  <>
    <p class="linked" role="status">
      {linked}
    </p>
    <footer class="differences">
      <details>
        <summary>
          The relay itself, in your browser: it shows what a server would send, and sends nothing. What else
          is different here
        </summary>
        <ul>
          <li>
            The link that <b>Share</b> makes holds the config after its <code>#</code>, which browsers keep to
            themselves.
          </li>
          <li>There are no environment variables: made-up values stand in, as the page says for each.</li>
          <li>
            There are no files beside the config: <code>language_files</code> and lists from files do not
            load.
          </li>
          <li>
            PDFs are not written: a short text stands in for each, so the sizes of attached PDFs are not
            theirs.
          </li>
          <li>Mails are not signed with DKIM; the place of the signature is shown.</li>
          <li>
            <code>relay dev</code> also shows forms with htmx and in Bootstrap and Pico, saves to your file,
            and can deliver for real.
          </li>
        </ul>
      </details>
    </footer>
  </>
);
