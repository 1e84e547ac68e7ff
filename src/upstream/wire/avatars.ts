/**
 * Addresses of account pictures: constants from public clients, checked to answer without a login (2026). Never
 * contacted.
 */

/** Returns the address of a picture. `k` is an opaque key from an address that the upstream sent. `size`: pixels. */
export function avatarByKey (k: string, size: number): string {
  return `https://thirdqq.qlogo.cn/g?b=sdk&k=${encodeURIComponent(k)}&s=${size}`
}

/**
 * Returns the address of an account's picture. Accounts of the alternative channel get only a silhouette. `size`:
 * pixels.
 */
export function avatarByAccount (digits: string, size: number): string {
  return `https://q.qlogo.cn/headimg_dl?dst_uin=${digits}&spec=${size}`
}
