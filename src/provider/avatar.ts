/** Addresses of account pictures: constants seen in public clients and checked to answer without a login (2026). Never contacted. */

/** `k`: an opaque key out of an address that the upstream gave, put back as it was. */
export function avatarByKey (k: string, size: number): string {
  return `https://thirdqq.qlogo.cn/g?b=sdk&k=${encodeURIComponent(k)}&s=${size}`
}

/** Accounts of the alternative channel have no picture there, only the silhouette. */
export function avatarByAccount (digits: string, size: number): string {
  return `https://q.qlogo.cn/headimg_dl?dst_uin=${digits}&spec=${size}`
}
