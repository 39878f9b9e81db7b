# wait_for_round.sh FOLDER MODULE: a search that waits for its round, which another process measures.
(
  until [ -e "$1/round-1.export" ]; do sleep 0.1; done
  exec tune-measure "$1/round-1.export" >/dev/null 2>&1
) &
tune-opt "$2" --tune-search="trials=2 round=2 finalists=0 measure=export:$1 export-wait=60 db=$1/w.db" -o /dev/null
status=$?
wait
exit $status
