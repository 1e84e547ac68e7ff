/** What stands in the head of every page. */

/** As an address that holds the picture itself. */
export const pageIcon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='9' fill='%230b6b57'/%3E%3Cpath d='M7 16h3m3-6v12m5-15v18m5-13v8m4-4h-1' stroke='white' stroke-width='3' stroke-linecap='round'/%3E%3C/svg%3E"

/** `folder`: where the page's own style and script are, relative to the page, so that it works below any path of a reverse proxy. */
export const pageHead = (title: string, folder: string): string => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${pageIcon}">
<link rel="stylesheet" href="${folder}/style.css">
<script type="module" src="${folder}/script.js"></script>
</head>`
