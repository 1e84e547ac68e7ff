/** Comments on a song, album, playlist or MV. */
import type { VNode } from 'preact'
import { dateOf, t } from '../language.ts'
import { usePages } from '../load.ts'
import { More, Tabs, Title, itemHref } from '../parts.tsx'
import { ask } from '../relay.ts'
import { hrefOf, place } from '../router.ts'

const kinds = { song: 1, album: 2, playlist: 3, mv: 4 } as const
const orders = [['1', 'Recommended'], ['2', 'Newest'], ['3', 'Most liked']] as const

export function Comments ({ kind, id }: { readonly kind: string, readonly id: string }): VNode {
  const wanted = place.value.query.get('order') ?? '1'
  const order = orders.find(([each]) => each === wanted)?.[0] ?? '1'
  const list = usePages(`comments ${kind} ${id} ${order}`, async (page) => {
    const biztype = kinds[kind as keyof typeof kinds] ?? 1
    const { comment, morecomment } = await ask('getComments', {
      id,
      biztype,
      reqtype: Number(order) as 1 | 2 | 3,
      pagesize: 25,
      pagenum: page
    })
    return { rows: comment.list, total: comment.total, more: morecomment }
  })
  const likes = (count: number): string => count > 0 ? ` · ♥ ${count.toLocaleString()}` : ''
  return (
    <>
      <Title>{t('Comments')}</Title>
      <p>
        <a href={itemHref(kind, id)}>{t('Go back')}</a>
        {list.total !== undefined && <span class="note">{` · ${list.total.toLocaleString()}`}</span>}
      </p>
      <Tabs
        name={t('Order')}
        of={orders}
        at={order}
        href={(each) => hrefOf(`comments/${kind}/${encodeURIComponent(id)}`, { order: each })}
      />
      <ul class="comments">
        {list.rows.map(({ commentid, nick, content, time, praisenum, replies }) => (
          <li key={commentid}>
            <p class="note">
              <strong>{nick}</strong> · {dateOf(time)}
              {likes(praisenum)}
            </p>
            <p>{content}</p>
            {replies.length > 0 && (
              <ul>
                {replies.map((reply) => (
                  <li key={reply.commentid}>
                    <p class="note">
                      <strong>{reply.nick}</strong>
                      {likes(reply.praisenum)}
                    </p>
                    <p>{reply.content}</p>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      <More of={list} none={t('There are no comments yet.')} />
    </>
  )
}
