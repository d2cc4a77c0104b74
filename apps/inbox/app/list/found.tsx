import { about, progress } from '../about.ts';
import { chooseOnly, paramsOf, query } from '../address.ts';
import { Button, Trouble } from '../button.tsx';
import { retry, total, trouble } from './entries.ts';
import { List } from './list.tsx';
import { SelectionBar } from './selection_bar.tsx';

/** The list, or why there is none. */
export function Found() {
  const isChosen = paramsOf(query.value).size > 0;
  return (
    <>
      {trouble.value && <Trouble words={trouble.value} onGo={retry} />}
      <SelectionBar />
      {total.value === 0 ? (
        <div class="empty">
          {isChosen ? (
            <>
              <p>
                <b>No submission matches.</b>
              </p>
              <Button onClick={() => chooseOnly({})}>Show all</Button>
            </>
          ) : progress.value ? (
            <p>The archives are being read. Submissions appear here.</p>
          ) : (
            <>
              <p>
                <b>Nothing has come in yet.</b>
              </p>
              <p>
                {about.value?.places.length === 0
                  ? 'The config names no archive: add an output of the type folder or s3 to a form.'
                  : 'Submissions appear here within two seconds.'}
              </p>
            </>
          )}
        </div>
      ) : (
        total.value !== undefined && <List />
      )}
    </>
  );
}
