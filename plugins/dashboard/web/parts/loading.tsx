import type { ComponentChildren } from 'preact'
import { t } from '../text.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import type { Loaded } from './use-load.ts'

/** The loaded content, or a loading state, or the error with a retry button. */
export function Loading<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, reload } = of
  return (
    <>
      {error.value ? (
        <Notice kind="bad">
          {error.value} <Button onPress={reload}>{t('shell.retry')}</Button>
        </Notice>
      ) : null}
      {data.value === undefined ? (
        error.value ? null : (
          <p class="loading">{t('shell.loading')}</p>
        )
      ) : (
        children(data.value)
      )}
    </>
  )
}
