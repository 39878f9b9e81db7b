# finish_rounds.sh FOLDER COMMAND…: runs a search in rounds and measures what it exports, by $MEASURE or
# tune-measure, until it has come to its end.
folder=$1
shift
while :; do
  "$@" || exit
  next=
  for export in "$folder"/*.export; do
    [ -e "${export%.export}.results" ] || next=$export
  done
  [ "$next" ] || exit 0
  ${MEASURE:-tune-measure} "$next" || exit
done
